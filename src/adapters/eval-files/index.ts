export { dataFolder } from './data-folder.js';
export { readResultsFile, resultsFile, writeResultsFile } from './results-file.js';
export { vectorFolder } from './vector-folder.js';
export { workspaceFolder } from './workspace-folder.js';
