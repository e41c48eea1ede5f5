/** The loop without anything around it: keep-alive HTTP, JSON, the tool. */
import http from 'node:http';
import { measureLoop } from './loop-harness.mjs';

const tools = [
  {
    type: 'function',
    function: {
      name: 'add_one',
      description: 'Adds one.',
      parameters: { type: 'object', properties: { x: { type: 'number' } }, required: ['x'] },
    },
  },
];

await measureLoop(async ({ base, plusOne }) => {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 256 });
  const url = new URL(`${base}/chat/completions`);
  /** @param {string} body @returns {Promise<any>} */
  const post = (body) =>
    new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
      const request = http.request(url, { method: 'POST', agent, headers }, (response) => {
        /** @type {Buffer[]} */
        const chunks = [];
        response.on('data', (chunk) => chunks.push(chunk));
        response.on('end', () => resolve(JSON.parse(Buffer.concat(chunks).toString())));
      });
      request.on('error', reject);
      request.end(body);
    });
  return async () => {
    /** @type {unknown[]} */
    const messages = [{ role: 'user', content: 'go' }];
    for (;;) {
      const reply = await post(JSON.stringify({ model: 'fake', messages, tools }));
      const { message } = reply.choices[0];
      messages.push(message);
      if (message.tool_calls === undefined) return message.content;
      for (const call of message.tool_calls)
        messages.push({
          role: 'tool',
          tool_call_id: call.id,
          content: await plusOne(JSON.parse(call.function.arguments)),
        });
    }
  };
});
