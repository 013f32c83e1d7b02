// Counts a press of a button that approves, deletes, undoes or answers only if the button was in sight, unmoved and unchanged for a while
// before the press began. Keys that repeat press nothing. Rejecting is never delayed.
const APPROVE = '.approval-card [data-keys="mod+enter"]';
const GUARDED = [
  APPROVE, '.message-item__choices button', '.toast-region__toast form button', '.receipt-line__undo', '.bulk-bar .button--quiet-danger',
  '.task-form__bin button:not(details:not([open]) *)',
].join();
const APPROVE_AFTER = 600;
const OTHERS_AFTER = 300;
const EVERY = 100;
// Nobody can have seen a page that was not painted for so long.
const STALLED = 400;
const states = new WeakMap();
// When the last press of each kind began; `REPEATED` for a key that repeats.
const REPEATED = -1;
const began = {};
let timer;
let last = 0;

const dwell = (button) => (button.matches(APPROVE) ? APPROVE_AFTER : OTHERS_AFTER);

// Place, size and meaning of a button; empty where it cannot be seen.
const look = (button) => {
  const { x, y, width, height } = button.getBoundingClientRect();
  const over = width && !document.hidden && document.elementFromPoint(x + width / 2, y + height / 2);
  if (!over || !button.contains(over)) return '';
  const fields = [...(button.form?.querySelectorAll('[type=hidden]') ?? [])].map((field) => field.value);
  return JSON.stringify([...[x, y, width, height].map(Math.round), button.textContent, ...fields]);
};

const watch = () => {
  const now = performance.now();
  const stalled = now - last > STALLED;
  last = now;
  const found = document.querySelectorAll(GUARDED);
  for (const button of found) {
    const shown = look(button);
    const state = states.get(button) ?? {};
    states.set(button, state);
    if (stalled || !shown || shown !== state.shown) Object.assign(state, { shown, since: now });
    const waits = shown !== '' && now - state.since < dwell(button);
    button.toggleAttribute('data-armed', shown !== '' && !waits);
    // The card disables its buttons itself while its answer is on its way.
    if (waits && !button.ariaDisabled) {
      state.marked = true;
      button.ariaDisabled = 'true';
    } else if (!waits && state.marked) {
      state.marked = false;
      button.ariaDisabled = null;
    }
  }
  if (found.length && !timer) timer = setInterval(watch, EVERY);
  if (!found.length) timer = clearInterval(timer);
};
new MutationObserver(watch).observe(document, { subtree: true, childList: true, attributeFilter: ['open'] });
addEventListener('scroll', watch, { capture: true, passive: true });
document.addEventListener('visibilitychange', watch);
watch();

const note = (event) => {
  watch();
  began[event.type] = event.repeat ? REPEATED : event.timeStamp;
};
addEventListener('pointerdown', note, true);
addEventListener('keydown', note, true);
// A button is pressed by Space after its key was released.
addEventListener('keyup', () => setTimeout(() => delete began.keydown), true);
addEventListener('click', (event) => {
  const button = event.target.closest?.('button');
  if (!button) return;
  watch();
  const kind = event.detail ? 'pointerdown' : 'keydown';
  // Screen readers press without a key.
  const from = began[kind] ?? event.timeStamp;
  if (event.detail) delete began[kind];
  const state = states.get(button);
  const approves = button.matches(APPROVE);
  const guarded = button.matches(GUARDED) && (approves || event.detail);
  const repeats = from === REPEATED && (approves || event.isTrusted);
  if (repeats || (guarded && !(from - state?.since >= dwell(button)))) {
    event.preventDefault();
    event.stopImmediatePropagation();
    if (approves) button.scrollIntoView({ block: 'nearest' });
  }
}, true);

