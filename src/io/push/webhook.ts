// Tells an address of the user, such as a topic of ntfy, that a session waits. The message says nothing
// about the session.

export interface WebhookMessage {
  readonly url: string;
  /** The page that a press on the notification opens. */
  readonly click: string | undefined;
}

/** The problem, if there is one. */
export async function sendWebhook(
  ask: typeof fetch,
  { url, click }: WebhookMessage,
): Promise<string | undefined> {
  try {
    const response = await ask(url, {
      method: 'POST',
      redirect: 'error',
      signal: AbortSignal.timeout(20_000),
      headers: {
        'content-type': 'text/plain; charset=utf-8',
        title: 'Parley',
        ...(click === undefined ? {} : { click }),
      },
      body: 'A session needs you.',
    });
    await response.body?.cancel();
    return response.ok ? undefined : `The webhook answered with status ${response.status}.`;
  } catch (error) {
    return `The webhook cannot be reached: ${String(error)}`;
  }
}
