/** Delete and the controls beyond ASCII, marks that reorder text, and line breaks that JSON does not count as such. */
const STEERING = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/**
 * JSON with `\u` escapes for characters that a terminal or an editor would obey. JSON.stringify escapes only those below
 * U+0020, and exports hold words of models and tools. A reader of JSON gets the same value either way.
 */
export function inertJson(json: string): string {
  return json.replaceAll(STEERING, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
