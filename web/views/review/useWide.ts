// Whether the window is wide enough for two texts side by side.
import { useEffect, useState } from 'preact/hooks';

export function useWide(): boolean {
  const query = '(min-width: 1200px)';
  const [wide, setWide] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const list = matchMedia(query);
    const read = () => setWide(list.matches);
    list.addEventListener('change', read);
    return () => list.removeEventListener('change', read);
  }, []);
  return wide;
}
