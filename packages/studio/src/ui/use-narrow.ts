import { useEffect, useState } from 'preact/hooks';

const NARROW = '(max-width: 860px)';

/** Whether there is room for one column only; the style sheets ask the same. */
export function useNarrow(): boolean {
  const [narrow, setNarrow] = useState(() => matchMedia(NARROW).matches);
  useEffect(() => {
    const query = matchMedia(NARROW);
    const listen = () => setNarrow(query.matches);
    query.addEventListener('change', listen);
    return () => query.removeEventListener('change', listen);
  }, []);
  return narrow;
}
