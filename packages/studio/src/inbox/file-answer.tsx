import { useId, useState } from 'preact/hooks';
import { Problem, type WidgetProps } from './widget.js';

interface Chosen {
  readonly name: string;
  readonly content: string;
}

/** A text file from this computer: it is read here, and its content goes into the run. */
export function FileAnswer({ details, sending, onAnswer }: WidgetProps) {
  const [chosen, setChosen] = useState<Chosen>();
  const [problem, setProblem] = useState<string>();
  const id = useId();
  const { maxBytes, endings } = details;
  const take = async (file: File | undefined): Promise<void> => {
    setChosen(undefined);
    const read = file === undefined ? { problem: 'Choose a file.' } : await textOf(file, maxBytes);
    if ('problem' in read) setProblem(read.problem);
    else {
      setProblem(undefined);
      setChosen(read);
    }
  };
  return (
    <>
      <label class="label" for={id}>
        A text file{typeof maxBytes === 'number' ? `, up to ${maxBytes.toLocaleString('en')} bytes` : ''}
      </label>
      <input
        id={id}
        type="file"
        {...(Array.isArray(endings) ? { accept: endings.join(',') } : {})}
        onChange={(event) => void take(event.currentTarget.files?.[0])}
      />
      {problem === undefined ? null : <Problem text={problem} />}
      <div class="actions">
        <button
          type="button"
          class="button primary"
          disabled={sending.busy}
          onClick={() => (chosen === undefined ? setProblem('Choose a file.') : onAnswer(chosen))}
        >
          {sending.busy ? 'Sending…' : 'Upload'}
        </button>
      </div>
    </>
  );
}

async function textOf(file: File, maxBytes: unknown): Promise<Chosen | { readonly problem: string }> {
  if (typeof maxBytes === 'number' && file.size > maxBytes)
    return { problem: `${file.name} has ${file.size} bytes; at most ${maxBytes} are allowed.` };
  try {
    const content = new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer());
    return { name: file.name, content };
  } catch {
    return { problem: `${file.name} is not a text file.` };
  }
}
