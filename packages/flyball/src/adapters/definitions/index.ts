export { agentFromFile } from './agent-file.js';
export { toolsFromFolder } from './folder-tools.js';
export { discoverPackages, toolsFromPackages } from './package-tools.js';
export { loadPolicy, watchPolicy } from './policy-file.js';
export { toolsFromYaml } from './yaml-tools.js';
