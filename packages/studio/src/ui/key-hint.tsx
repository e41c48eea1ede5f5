export function KeyHint({ keys }: { readonly keys: string }) {
  const parts = keys === ' ' ? ['Space'] : keys.split(' ');
  return (
    <span class="key-hint">
      {parts.map((key) => (
        <kbd key={key}>{NAMES[key] ?? key}</kbd>
      ))}
    </span>
  );
}

const NAMES: Readonly<Record<string, string>> = {
  ArrowLeft: '←',
  ArrowRight: '→',
  ArrowUp: '↑',
  ArrowDown: '↓',
};
