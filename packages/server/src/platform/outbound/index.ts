export { OutboundRefused, outboundAgent, urlProblem } from './dispatcher.ts';
