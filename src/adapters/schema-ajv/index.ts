export { ajvCheck } from './ajv-check.js';
