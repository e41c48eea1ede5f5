export { otelTelemetry } from './otel.js';
