import { useEffect, useState } from 'preact/hooks';

const SAID_MS = 2_000;

/** Puts a text where it can be pasted from, and says whether that went well. */
export function CopyButton({ text, label }: { readonly text: string | (() => string); readonly label: string }) {
  const [said, setSaid] = useState<'Copied' | 'Not copied'>();
  useEffect(() => {
    if (said === undefined) return;
    const timer = setTimeout(() => setSaid(undefined), SAID_MS);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = async (): Promise<void> => {
    setSaid((await copied(typeof text === 'string' ? text : text())) ? 'Copied' : 'Not copied');
  };
  return (
    <button type="button" class="button plain small copy" onClick={() => void copy()}>
      <span role="status">{said ?? 'Copy'}</span>
      <span class="visually-hidden"> {label}</span>
    </button>
  );
}

async function copied(text: string): Promise<boolean> {
  // only pages over HTTPS or from this machine have a clipboard; others get it the old way
  if (navigator.clipboard === undefined) return copiedFromField(text);
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copiedFromField(text);
  }
}

function copiedFromField(text: string): boolean {
  const field = document.createElement('textarea');
  field.value = text;
  field.className = 'visually-hidden';
  document.body.append(field);
  field.select();
  try {
    return document.execCommand('copy');
  } finally {
    field.remove();
  }
}
