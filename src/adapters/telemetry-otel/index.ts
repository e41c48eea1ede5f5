export { type OtelOptions, otelTelemetry, type Telemetry } from './otel.js';
