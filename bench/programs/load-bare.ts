/** A hono handler with nothing behind it that streams the same events at the same pace: load-bare.js <pauseMs> <bytes,bytes,…>. */
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { reportMemory } from '../measure/memory-report.js';

const [pauseMs = '250', sizes = '200'] = process.argv.slice(2);
/** Sizes of the entries of one round. */
const round = sizes.split(',').map(Number);
const encoder = new TextEncoder();

const app = new Hono();
app.get('/events/:rounds', (c) => {
  const rounds = Number(c.req.param('rounds'));
  return new Response(source(rounds), {
    headers: { 'content-type': 'text/event-stream' },
  });
});

function source(rounds: number): ReadableStream<Uint8Array> {
  let seq = 0;
  let at = 0;
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    if (at >= rounds) {
      controller.enqueue(encoder.encode('event: end\ndata: {"status":"done"}\n\n'));
      controller.close();
      return;
    }
    if (at++ > 0) await pause(Number(pauseMs));
    controller.enqueue(encoder.encode(round.map((bytes) => entryText(seq++, bytes)).join('')));
  };
  return new ReadableStream<Uint8Array>({ pull }, { highWaterMark: 0 });
}

function entryText(seq: number, bytes: number): string {
  const body = JSON.stringify({ generation: 0, seq, at: Date.now(), text: 'x'.repeat(Math.max(0, bytes - 60)) });
  return `id: 0.${seq}\nevent: entry\ndata: ${body}\n\n`;
}

const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => {
  console.log(`http://127.0.0.1:${port}`);
});
for await (const line of createInterface(process.stdin)) {
  if (line === 'close') break;
  reportMemory();
}
server.close();
process.exit(0);
