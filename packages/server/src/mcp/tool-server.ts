import type { StandardSchema } from 'flyball';
import { check } from 'flyball/internal';
import { jsonSchemaStandard } from 'flyball/tools';
import { answered, failedAnswer } from './answer.js';
import type { McpCallContext, McpOffer, McpOfferedTool, McpServing } from './offer.js';
import { progressTo } from './progress.js';
import type { CallToolResult, Server, ServerContext, ServerSdk, WireTool } from './sdk.js';

/** What all connections of one endpoint have in common. */
export interface Endpoint<W> {
  readonly sdk: ServerSdk;
  readonly offer: McpOffer<W>;
  readonly serving: Omit<McpServing, 'maxCalls'>;
  /** For a call, until it has ended. */
  readonly takeRoom: (who: W) => (() => void) | { readonly because: string };
}

/** So many calls at the same time, whoever makes them. */
export function roomForAll(most: number): Endpoint<unknown>['takeRoom'] {
  let calls = 0;
  return () => {
    if (calls >= most) return { because: `${most} calls are under way already. Try again when one of them has ended.` };
    calls++;
    return () => {
      calls--;
    };
  };
}

const PAGE = 50;
const MAX_RESULT_CHARS = 200_000;

/** One server object for one connection or request: the protocol on one side, the offer on the other. */
export function toolServer<W>(endpoint: Endpoint<W>, who: W): Server {
  const { sdk, offer, serving } = endpoint;
  const { name, version } = serving;
  // the high-level server registers tools ahead; here each list is made for whoever asks, from JSON Schema
  const server = new sdk.Server(
    { name, version },
    { capabilities: { tools: { listChanged: offer.onChanged !== undefined } } },
  );
  server.setRequestHandler('tools/list', async ({ params }) => {
    const tools = await guarded(endpoint, 'listing tools', async () => offer.tools(who));
    const from = cursorIn(sdk, params?.cursor, tools.length);
    const nextCursor = from + PAGE < tools.length ? { nextCursor: String(from + PAGE) } : {};
    return { tools: tools.slice(from, from + PAGE).map(wireTool), ...nextCursor };
  });
  server.setRequestHandler('tools/call', async ({ params }, ctx) => {
    const tools = await guarded(endpoint, 'listing tools', async () => offer.tools(who));
    const tool = tools.find((one) => one.name === params.name);
    if (tool === undefined)
      throw new sdk.ProtocolError(
        sdk.ProtocolErrorCode.InvalidParams,
        `There is no tool ${params.name.slice(0, 128)}.`,
      );
    return callTool(endpoint, tool, params.arguments ?? {}, contextOf(who, ctx));
  });
  return server;
}

async function callTool<W>(
  { offer, serving, takeRoom }: Endpoint<W>,
  tool: McpOfferedTool,
  args: Readonly<Record<string, unknown>>,
  ctx: McpCallContext<W>,
): Promise<CallToolResult> {
  const { maxResultChars = MAX_RESULT_CHARS, onProblem } = serving;
  const checked = await check(schemaOf(tool), args);
  if (!checked.ok) return failedAnswer('INPUT_INVALID', `The arguments are not valid: ${checked.problem}.`);
  const leave = takeRoom(ctx.who);
  if (typeof leave !== 'function') return failedAnswer('BUSY', leave.because);
  try {
    return answered(await offer.call(tool.name, args, ctx), tool, maxResultChars);
  } catch (error) {
    onProblem?.(error, `calling ${tool.name} for an MCP client`);
    return failedAnswer('INTERNAL', 'The call failed inside the server. Its log says why.');
  } finally {
    leave();
  }
}

function contextOf<W>(who: W, { mcpReq }: ServerContext): McpCallContext<W> {
  return { who, signal: mcpReq.signal, progress: progressTo(mcpReq) };
}

/** The words of what broke stay here. */
async function guarded<W, T>({ sdk, serving }: Endpoint<W>, doing: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    serving.onProblem?.(error, `${doing} for an MCP client`);
    throw new sdk.ProtocolError(sdk.ProtocolErrorCode.InternalError, 'The request failed inside the server.');
  }
}

function cursorIn(sdk: ServerSdk, cursor: string | undefined, length: number): number {
  if (cursor === undefined) return 0;
  const from = /^\d{1,9}$/.test(cursor) ? Number(cursor) : Number.NaN;
  if (from % PAGE === 0 && from < Math.max(1, length)) return from;
  throw new sdk.ProtocolError(sdk.ProtocolErrorCode.InvalidParams, 'The cursor is not valid.');
}

function wireTool({ name, title, description, inputSchema, outputSchema, annotations }: McpOfferedTool): WireTool {
  return {
    name,
    description,
    inputSchema: inputSchema as WireTool['inputSchema'],
    ...(title === undefined ? {} : { title }),
    ...(outputSchema === undefined ? {} : { outputSchema: outputSchema as NonNullable<WireTool['outputSchema']> }),
    ...(annotations === undefined ? {} : { annotations }),
  };
}

/** Read once for each schema: the same object comes with every list. */
const schemas = new WeakMap<object, StandardSchema>();

function schemaOf({ inputSchema }: McpOfferedTool): StandardSchema {
  const known = schemas.get(inputSchema) ?? jsonSchemaStandard(inputSchema);
  schemas.set(inputSchema, known);
  return known;
}
