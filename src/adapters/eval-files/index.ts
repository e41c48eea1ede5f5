export { dataFolder } from './data-folder.js';
export { readResultsFile, resultsFile, writeResultsFile } from './results-file.js';
