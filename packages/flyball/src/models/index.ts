export { type ModelRouter, modelRouter } from './router.js';
