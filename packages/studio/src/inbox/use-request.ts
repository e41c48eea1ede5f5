import { useEffect, useState } from 'preact/hooks';
import { changes, reload } from './inbox-store.js';
import { requests, type WholeRequest } from './requests.js';

/** One request as the server has it now: read again whenever its run changes. */
export function useRequest(id: string) {
  const [request, setRequest] = useState<WholeRequest>();
  const [problem, setProblem] = useState<unknown>();
  const [turn, setTurn] = useState(0);
  const seen = changes.value.get(request?.run ?? '') ?? 0;
  useEffect(() => {
    const leaving = new AbortController();
    requests
      .get(id, leaving.signal)
      .then((found) => {
        setRequest(found);
        setProblem(undefined);
      })
      .catch((error: unknown) => {
        if (!leaving.signal.aborted) setProblem(error);
      });
    return () => leaving.abort();
  }, [id, turn, seen]);
  const again = () => {
    setTurn((before) => before + 1);
    void reload();
  };
  return { request, problem, again };
}
