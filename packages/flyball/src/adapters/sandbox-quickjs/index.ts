export { type QuickJsOptions, quickJsSandbox } from './quickjs-sandbox.js';
