/**
 * Loads the thumbnails of the sessions in view, one at a time and at most as often as the server creates them. With
 * many sessions in view, loads them less often, because each costs the server about 10 ms of CPU time.
 */

const everyMs = 5_000;
/** Minimum interval per session in view, which limits the load to 3.3 thumbnails per second. */
const eachMs = 300;
const pauseMs = 500;
/** Time limit of a request, because the other thumbnails wait for it. */
const limitMs = 10_000;

export interface Thumbnails {
  /** Starts loading for a card. @param image image element, which is shown once it has a thumbnail */
  add(id: string, card: Element, image: HTMLImageElement): void;
  /** Stops loading for a card. */
  remove(card: Element): void;
  /** Turns loading on or off. */
  run(on: boolean): void;
}

interface Card {
  id: string;
  image: HTMLImageElement;
  isSeen: boolean;
  loadedAt: number;
}

/** @param addressOf returns the URL of a session's thumbnail */
export function createThumbnails(addressOf: (id: string) => string): Thumbnails {
  const cards = new Map<Element, Card>();
  let isOn = false;
  let isLooking = false;
  let timer = 0;

  const seen = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      const card = cards.get(target);
      if (card) card.isSeen = isIntersecting;
    }
    void look();
  });

  const look = async () => {
    if (isLooking) return;
    isLooking = true;
    clearTimeout(timer);
    for (;;) {
      const inView = [...cards.values()].filter(({ isSeen }) => isSeen);
      const restMs = Math.max(everyMs, inView.length * eachMs);
      const due = inView.find(({ loadedAt }) => performance.now() - loadedAt > restMs);
      if (!due || !isOn || document.hidden) break;
      due.loadedAt = performance.now();
      await load(due).catch(() => {});
    }
    isLooking = false;
    if (isOn) timer = setTimeout(() => void look(), pauseMs);
  };

  const load = async (card: Card) => {
    const { id, image } = card;
    const answer = await fetch(addressOf(id), { cache: 'no-store', signal: AbortSignal.timeout(limitMs) });
    const picture = answer.status === 200 ? await answer.blob() : undefined;
    if (![...cards.values()].includes(card)) return;
    if (!picture) {
      // Hide an old thumbnail: it would look like the current page.
      if (answer.status === 204 || answer.status === 404) image.hidden = true;
      return;
    }
    const address = URL.createObjectURL(picture);
    const forget = () => URL.revokeObjectURL(address);
    image.addEventListener('load', forget, { once: true });
    image.addEventListener('error', forget, { once: true });
    image.src = address;
    image.hidden = false;
  };

  return {
    add(id, card, image) {
      cards.set(card, { id, image, isSeen: false, loadedAt: -Infinity });
      seen.observe(card);
    },
    remove(card) {
      cards.delete(card);
      seen.unobserve(card);
    },
    run(on) {
      isOn = on;
      clearTimeout(timer);
      if (on) void look();
    },
  };
}
