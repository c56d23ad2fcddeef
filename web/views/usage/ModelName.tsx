// The name of a model, as the pickers show it; its id where the host does not offer it any more.
import { useContext } from 'preact/hooks';
import { ClientContext } from '../../state/app.ts';

export function ModelName({ id }: { readonly id: string }) {
  const agents = useContext(ClientContext)?.root.state.value?.agents ?? [];
  const known = agents.flatMap(({ models }) => models).find((model) => model.id === id);
  return <span title={id}>{known?.name ?? id}</span>;
}
