import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

/** True from the first time that an element comes near what can be seen: nothing is fetched for what nobody reads. */
export function useInSight<E extends Element>(): { readonly ref: RefObject<E | null>; readonly seen: boolean } {
  const ref = useRef<E>(null);
  const [seen, setSeen] = useState(false);
  useEffect(() => {
    const element = ref.current;
    if (seen || element === null) return;
    const observer = new IntersectionObserver(
      (changes) => {
        if (changes.some(({ isIntersecting }) => isIntersecting)) setSeen(true);
      },
      { rootMargin: '300px' },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [seen]);
  return { ref, seen };
}
