/**
 * Loads the thumbnails of the sessions in view, one at a time and at most as often as the server creates them. With
 * many sessions in view, loads them less often, because each costs the server about 10 ms of CPU time.
 */

const intervalMs = 5_000;
/** Minimum interval per session in view, which limits the load to 3.3 thumbnails per second. */
const perSessionMs = 300;
const pauseMs = 500;
/** Time limit of a request, because the other thumbnails wait for it. */
const limitMs = 10_000;

export type Thumbnails = ReturnType<typeof createThumbnails>;

interface Card {
  id: string;
  image: HTMLImageElement;
  isVisible: boolean;
  loadedAt: number;
}

/** @param urlFor returns the URL of a session's thumbnail */
export function createThumbnails(urlFor: (id: string) => string) {
  const cards = new Map<Element, Card>();
  let isOn = false;
  let isLoading = false;
  let timer = 0;

  const seen = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      const card = cards.get(target);
      if (card) card.isVisible = isIntersecting;
    }
    void loadDue();
  });

  const loadDue = async () => {
    if (isLoading) return;
    isLoading = true;
    clearTimeout(timer);
    for (;;) {
      const inView = [...cards.values()].filter(({ isVisible }) => isVisible);
      const minIntervalMs = Math.max(intervalMs, inView.length * perSessionMs);
      const due = inView.find(({ loadedAt }) => performance.now() - loadedAt > minIntervalMs);
      if (!due || !isOn || document.hidden) break;
      due.loadedAt = performance.now();
      await load(due).catch(() => {});
    }
    isLoading = false;
    if (isOn) timer = setTimeout(() => void loadDue(), pauseMs);
  };

  const load = async (card: Card) => {
    const { id, image } = card;
    const response = await fetch(urlFor(id), { cache: 'no-store', signal: AbortSignal.timeout(limitMs) });
    const thumbnail = response.status === 200 ? await response.blob() : undefined;
    if (![...cards.values()].includes(card)) return;
    if (!thumbnail) {
      // Hide an old thumbnail: it would look like the current page.
      if (response.status === 204 || response.status === 404) image.hidden = true;
      return;
    }
    const objectUrl = URL.createObjectURL(thumbnail);
    const revoke = () => URL.revokeObjectURL(objectUrl);
    image.addEventListener('load', revoke, { once: true });
    image.addEventListener('error', revoke, { once: true });
    image.src = objectUrl;
    image.hidden = false;
  };

  return {
    /** Starts loading for a card. @param image image element, which is shown once it has a thumbnail */
    add(id: string, card: Element, image: HTMLImageElement) {
      cards.set(card, { id, image, isVisible: false, loadedAt: -Infinity });
      seen.observe(card);
    },
    /** Stops loading for a card. */
    remove(card: Element) {
      cards.delete(card);
      seen.unobserve(card);
    },
    /** Turns loading on or off. */
    run(on: boolean) {
      isOn = on;
      clearTimeout(timer);
      if (on) void loadDue();
    },
  };
}
