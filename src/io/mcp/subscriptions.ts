// The resources that a server is to tell us about when they change. What it does not offer is not asked for.
import type { Client, McpSubscription } from '@modelcontextprotocol/client';

/** A server need not remember more for us. */
const most = 100;

/** Returns the function that adds a resource; `updated` is told the addresses that were added. */
export function subscriptions(client: Client, updated: (uri: string) => void): (uri: string) => void {
  const wanted = new Set<string>();
  if (!client.getServerCapabilities()?.resources?.subscribe) return () => {};
  client.setNotificationHandler('notifications/resources/updated', ({ params: { uri } }) => {
    // A server may name a part of what we wanted to hear about.
    for (const each of wanted) if (uri === each || uri.startsWith(`${each}/`)) updated(each);
  });
  let listening: Promise<McpSubscription | undefined> = Promise.resolve(undefined);
  const listen = async (before: McpSubscription | undefined) => {
    const next = await client.listen({ resourceSubscriptions: [...wanted] });
    await before?.close();
    return next;
  };
  return (uri) => {
    if (wanted.has(uri) || wanted.size >= most) return;
    wanted.add(uri);
    // The older protocol takes them one by one, the newer one all together.
    if (client.getProtocolEra() === 'modern')
      listening = listening.then((before) => listen(before).catch(() => before));
    else void client.subscribeResource({ uri }).catch(() => {});
  };
}
