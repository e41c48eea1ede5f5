import type { Message, ToolSpec } from '../../core/model.js';

/** The tools of a request as JSON text. Schemas are the same objects from call to call, so each is written once. */
export function toolWriter(): (tools: readonly ToolSpec[]) => string {
  const written = new WeakMap<object, { readonly name: string; readonly description: string; readonly json: string }>();
  const write = (tool: ToolSpec): string => {
    const known = written.get(tool.input);
    if (known !== undefined && known.name === tool.name && known.description === tool.description) return known.json;
    const { name, description, input } = tool;
    const json = JSON.stringify({ type: 'function', function: { name, description, parameters: input } });
    written.set(input, { name, description, json });
    return json;
  };
  return (tools) => `[${tools.map(write).join(',')}]`;
}

/** Messages as JSON text. They too stay the same objects while a conversation grows: only the new ones are written. */
export function messageWriter(
  onWire: (message: Message, asked: readonly Message[]) => unknown,
): (messages: readonly Message[]) => string {
  const written = new WeakMap<Message, string>();
  return (messages) => {
    let json = '';
    for (const message of messages) {
      let text = written.get(message);
      if (text === undefined) {
        text = JSON.stringify(onWire(message, messages));
        written.set(message, text);
      }
      json += json === '' ? text : `,${text}`;
    }
    return `[${json}]`;
  };
}

/** Which tool a result belongs to: as it says, or as the call it answers says. */
export function toolNameOf(
  message: Message & { readonly role: 'tool' },
  asked: readonly Message[],
): string | undefined {
  if (message.name !== undefined) return message.name;
  for (const earlier of asked) {
    if (earlier.role !== 'assistant') continue;
    const call = earlier.toolCalls?.find(({ id }) => id === message.toolCallId);
    if (call !== undefined) return call.name;
  }
  return undefined;
}

/** One object as JSON text, two of whose fields are JSON already. */
export function objectJson(
  fields: Readonly<Record<string, unknown>>,
  written: { readonly messages?: string | undefined; readonly tools?: string | undefined },
): string {
  let json = JSON.stringify(fields).slice(0, -1);
  if (written.messages !== undefined) json += `,"messages":${written.messages}`;
  if (written.tools !== undefined) json += `,"tools":${written.tools}`;
  return `${json}}`;
}
