import type { PyValue } from '../tau2/python/value.js';

/**
 * A dict that stands for an object of the reference's data model. As the result of a tool it is printed as it is, where
 * the numbers of a plain dict turn into text.
 */
export class Model extends Map<string, PyValue> {}
