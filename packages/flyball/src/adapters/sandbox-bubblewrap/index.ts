export { type BubblewrapOptions, bubblewrapSandbox, localSandbox } from './bubblewrap-sandbox.js';
export { type BubblewrapDetection, detectBubblewrap } from './detect.js';
