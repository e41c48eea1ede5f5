export { nodeHost } from './node-host.js';
export { systemClock } from './system-clock.js';
