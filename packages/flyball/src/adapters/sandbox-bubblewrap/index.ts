export { bubblewrapSandbox, localSandbox } from './bubblewrap-sandbox.js';
export { detectBubblewrap } from './detect.js';
