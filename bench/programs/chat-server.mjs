/** A model server that answers at once: chat-server.mjs <calls>. Says its address when it listens. */
import http from 'node:http';
import { completion } from './openai-stub.mjs';

const calls = Number(process.argv[2] ?? 20);
const server = http.createServer((request, response) => {
  /** @type {Buffer[]} */
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const { type, text } = completion(Buffer.concat(chunks).toString(), calls);
    response.setHeader('content-type', type);
    response.end(text);
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  console.log(typeof address === 'object' && address !== null ? `http://127.0.0.1:${address.port}/v1` : '');
});
