export { quickJsSandbox } from './quickjs-sandbox.js';
