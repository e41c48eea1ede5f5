export { jsonSchemaCheck } from './json-schema-check.js';
