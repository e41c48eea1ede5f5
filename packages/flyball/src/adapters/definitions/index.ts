export { agentFromFile } from './agent-file.js';
export { toolsFromFolder } from './folder-tools.js';
export { type ModuleGraph, moduleGraph } from './module-graph.js';
export { discoverPackages, type PackagesOptions, toolsFromPackages } from './package-tools.js';
export { loadPolicy, type PolicyFileOptions, type PolicyWatchOptions, watchPolicy } from './policy-file.js';
export { toolsFromYaml, type YamlTools } from './yaml-tools.js';
