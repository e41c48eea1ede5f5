/**
 * A worker of its own, whose runs are traced.
 *
 *   trace-process.js <database> <agent> <url of the collector> <url of the pages>
 *
 * Works on runs of that agent until its stdin closes and the collector has had one trace, or refused it.
 */
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { createRuntime } from 'flyball';
import { sqliteEngine } from 'flyball/adapters/engine-sqlite';
import { otelTelemetry } from 'flyball/adapters/telemetry-otel';
import { traceAgents } from './trace-agents.js';

const [path = '', agent = '', collector = '', pages = ''] = process.argv.slice(2);
const telemetry = await otelTelemetry({ url: collector, service: agent });
const engine = await sqliteEngine({ path, pollMs: 10 });
const runtime = createRuntime({
  engine,
  agents: traceAgents(pages),
  telemetry,
  options: { worker: { agents: [agent] } },
});
process.stdout.write('ready\n');
process.stdin.resume();
await once(process.stdin, 'end');
const settled = () => telemetry.state().sent + telemetry.state().dropped > 0; // the journal is read after the run has ended
while (!settled()) await pause(10);
await runtime.close();
await engine.close();
