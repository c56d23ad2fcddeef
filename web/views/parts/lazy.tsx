// Loads a component with its module when it is first rendered. A whole page has a heading until then.
import { errorText } from '../../../src/base/errorText.ts';
import type { ComponentChild, ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Loading } from './Loading.tsx';

export function lazy<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  heading?: string,
): (props: Props) => ComponentChild {
  let loaded: ComponentType<Props> | undefined;
  return function Lazy(props) {
    const [problem, setProblem] = useState('');
    const [, setReady] = useState(loaded !== undefined);
    const show = (view: ComponentType<Props>): void => {
      loaded = view;
      setReady(true);
    };
    useEffect(() => {
      if (loaded) return;
      load().then(
        (view) => show(view),
        (error: unknown) => setProblem(errorText(error)),
      );
    }, []);
    const View = loaded;
    if (View) return <View {...props} />;
    return (
      <>
        {heading !== undefined && <h1 class="unseen">{heading}</h1>}
        {problem === '' ? <Loading what="this part" /> : <NotLoaded problem={problem} />}
      </>
    );
  };
}

function NotLoaded({ problem }: { readonly problem: string }) {
  return (
    <p class="banner bad" role="alert" title={problem}>
      This part of the page could not be loaded. Parley may have been updated since you opened it.{' '}
      <button type="button" class="btn small" onClick={() => location.reload()}>
        Reload the page
      </button>
    </p>
  );
}
