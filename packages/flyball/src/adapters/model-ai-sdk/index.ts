export { type AiSdkModelOptions, aiSdkModel } from './ai-sdk-model.js';
export { type AiSdkProvider, type AiSdkProviderOptions, aiSdkKeys, aiSdkProvider } from './ai-sdk-provider.js';
export type { SdkModel } from './language-model.js';
