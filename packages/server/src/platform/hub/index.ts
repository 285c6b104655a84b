export { createHub, type Hub, loggedTopic } from './hub.ts';
export { placeOfNats } from './nats-url.ts';
export { pingNats } from './nats-wire.ts';
export { openHub } from './open-hub.ts';
