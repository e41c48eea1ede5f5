export { aiSdkModel } from './ai-sdk-model.js';
export { aiSdkKeys, aiSdkProvider } from './ai-sdk-provider.js';
