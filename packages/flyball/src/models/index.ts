export { type ModelName, parseModelName } from './model-name.js';
export type { Environment, ProviderConfig, ProviderConfigs, ProviderStatus } from './provider-settings.js';
export { DEFAULT_ROLE, type ModelRouter, type ModelRouterParts, modelRouter } from './router.js';
export type { AttemptResult, RouterEvent } from './router-event.js';
export {
  type ConcurrencyPolicy,
  type RetryPolicy,
  ROUTER_DEFAULTS,
  type RouterPolicy,
  type RouterPolicyOptions,
} from './router-policy.js';
