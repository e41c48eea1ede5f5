import type { FinishReason } from '../../core/model.js';

/** The words of OpenAI, vLLM, TGI, Together, DeepSeek, Mistral, Ollama and those who forward Anthropic's. */
const KNOWN: Readonly<Record<string, FinishReason>> = {
  stop: 'stop',
  eos: 'stop',
  eos_token: 'stop',
  stop_sequence: 'stop',
  end_turn: 'stop',
  tool_calls: 'tool_calls',
  tool_use: 'tool_calls',
  function_call: 'tool_calls',
  length: 'length',
  max_tokens: 'length',
  model_length: 'length',
  content_filter: 'content_filter',
  refusal: 'content_filter',
  safety: 'content_filter',
  error: 'error',
  abort: 'error',
  insufficient_system_resource: 'error',
};

/**
 * Why the reply ended. What was proposed counts for more than the vendor's word: some say `stop` beside calls, some
 * `tool_calls` beside none. A word that nobody knows ends a reply that says something, and fails one that is empty.
 */
export function finishOf(word: string, reply: { readonly calls: number; readonly text: string }): FinishReason {
  const name = word.toLowerCase();
  const known = Object.hasOwn(KNOWN, name) ? KNOWN[name] : undefined; // nor one that every object has
  if (known !== undefined && known !== 'stop' && known !== 'tool_calls') return known;
  if (reply.calls > 0) return 'tool_calls';
  return known === undefined && word !== '' && reply.text === '' ? 'error' : 'stop';
}
