export {
  type BrowserOptions,
  type BrowserTools,
  browserTools,
  type ClickArgs,
  type OpenArgs,
  type ReadPageArgs,
  type TypeArgs,
} from './browser.js';
export { type FilesOptions, filesTools } from './files.js';
export type { Edit } from './files-edit.js';
export type { ListArgs, ListResult } from './files-list.js';
export type { DeleteArgs, MoveArgs } from './files-move.js';
export type { ReadArgs, ReadResult } from './files-read.js';
export type { SearchArgs, SearchResult } from './files-search.js';
export type { ChangeResult, EditArgs, WriteArgs } from './files-write.js';
export type { PageElement, PageView } from './page-view.js';
export { type JavascriptCall, type RunJavascriptOptions, runJavascriptTool } from './run-javascript.js';
export {
  type ShellCall,
  type ShellOptions,
  type ShellResult,
  shellTool,
  type Unsandboxed,
  unsandboxed,
} from './shell.js';
export { type FetchArgs, type FetchResult, type WebFetchOptions, webFetchTool } from './web-fetch.js';
export type { Resolver } from './web-fetch-connect.js';
