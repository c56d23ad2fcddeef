// Subscriptions to a server's resources; does nothing for a server without them.
import type { Client, McpSubscription } from '@modelcontextprotocol/client';

const maxSubscriptions = 100;

/** Returns the function that subscribes to a resource; `updated` gets the URI as it was subscribed. */
export function subscriptions(client: Client, updated: (uri: string) => void): (uri: string) => void {
  const wanted = new Set<string>();
  if (!client.getServerCapabilities()?.resources?.subscribe) return () => {};
  client.setNotificationHandler('notifications/resources/updated', ({ params: { uri } }) => {
    // A server may name a part of a subscribed resource.
    for (const subscribed of wanted)
      if (uri === subscribed || uri.startsWith(`${subscribed}/`)) updated(subscribed);
  });
  let listening: Promise<McpSubscription | undefined> = Promise.resolve(undefined);
  const listen = async (before: McpSubscription | undefined) => {
    const next = await client.listen({ resourceSubscriptions: [...wanted] });
    await before?.close();
    return next;
  };
  return (uri) => {
    if (wanted.has(uri) || wanted.size >= maxSubscriptions) return;
    wanted.add(uri);
    // The older protocol subscribes one by one, the newer one with a list.
    if (client.getProtocolEra() === 'modern')
      listening = listening.then((before) => listen(before).catch(() => before));
    else void client.subscribeResource({ uri }).catch(() => {});
  };
}
