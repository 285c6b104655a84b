export { OutboundRefused, type OutboundSettings, outboundAgent, urlProblem } from './dispatcher.ts';
