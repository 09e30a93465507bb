/** The code of consent dialogs that runs inside pages. */

/** Resolves when the transitions that run now have ended, those without an end not counted; after a second at the latest. */
export async function animationsEnded(): Promise<void> {
  const running = document.getAnimations().filter(({ effect }) => {
    const end = Number(effect?.getComputedTiming().endTime);
    return end > 0 && end < 5_000;
  });
  const late = new Promise<void>((resolve) => setTimeout(resolve, 1_000));
  await Promise.race([Promise.allSettled(running.map(({ finished }) => finished)), late]);
}

/** Gives autoconsent its way to us: messages go through the binding, and each says whether its frame is the page itself. */
export function connectAutoconsent(binding: string): void {
  // The global object of our own world: the binding is there already, autoconsent looks for the other name.
  const world = globalThis as unknown as Record<string, (message: never) => unknown>;
  world['autoconsentSendMessage'] = (message: object) => {
    world[binding]?.(JSON.stringify({ mainFrame: top === self, ...message }) as never);
    return Promise.resolve();
  };
}
