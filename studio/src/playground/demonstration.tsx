/** Nobody may take the words of a script for those of a model. */
export function Demonstration({ said }: { readonly said: string | undefined }) {
  if (said === undefined) return null;
  return (
    <p class="note warn demonstration">
      <strong>Demonstration: scripted model.</strong> {said}
    </p>
  );
}
