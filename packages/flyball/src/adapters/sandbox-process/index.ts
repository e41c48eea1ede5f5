export { processSandbox } from './process-sandbox.js';
