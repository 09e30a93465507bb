/** Connects autoconsent to the server and waits for animations; runs inside pages. */

/** Waits for running animations that would end within 5 s, for one second at most. */
export async function animationsEnded(): Promise<void> {
  const running = document.getAnimations().filter(({ effect }) => {
    const end = Number(effect?.getComputedTiming().endTime);
    return end > 0 && end < 5_000;
  });
  const late = new Promise<void>((resolve) => setTimeout(resolve, 1_000));
  await Promise.race([Promise.allSettled(running.map(({ finished }) => finished)), late]);
}

/** Defines the function that autoconsent uses to send messages: it adds `mainFrame` to each and calls the binding. */
export function connectAutoconsent(binding: string): void {
  // The global object of our isolated world: it contains the binding, and autoconsent looks there for its own function.
  const world = globalThis as unknown as Record<string, (message: never) => unknown>;
  world['autoconsentSendMessage'] = (message: object) => {
    world[binding]?.(JSON.stringify({ mainFrame: top === self, ...message }) as never);
    return Promise.resolve();
  };
}
