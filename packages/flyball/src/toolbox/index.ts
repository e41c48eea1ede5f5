export { browserTools } from './browser.js';
export { filesTools } from './files.js';
export { type JavascriptCall, runJavascriptTool } from './run-javascript.js';
export { shellTool, unsandboxed } from './shell.js';
export type { ShellCall } from './shell-call.js';
export type { ShellResult } from './shell-report.js';
export type { Unsandboxed } from './shell-setup.js';
export { type FetchResult, webFetchTool } from './web-fetch.js';
