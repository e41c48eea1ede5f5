export { type OtelOptions, otelTelemetry } from './otel.js';
