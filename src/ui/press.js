// Ignores a press of a button that approves, deletes, undoes or answers, unless the button was visible, unmoved and unchanged for a while
// before. To approve, all of the question must have been visible too. Repeating keys press nothing. Rejecting is never delayed.
(() => {
  const APPROVE = '.approval-card [data-keys="mod+enter"]';
  const GUARDED = [
    APPROVE, '.message-item__choices button', '.toast-region__toast form button', '.receipt-line__undo', '.bulk-bar .button--quiet-danger',
    '.task-form__bin button:not(details:not([open]) *)',
  ].join();
  // Parts of a card that must have been visible, and the height in pixels of one row of them.
  const QUESTION = '.approval-card__heading, .approval-card__said, .approval-card__lines, .approval-card__rest';
  const ROW = 8;
  const APPROVE_AFTER = 600;
  const OTHERS_AFTER = 300;
  const EVERY = 100;
  // A page that was not painted for this long was not visible.
  const STALLED = 400;
  const states = new WeakMap();
  const unread = new WeakMap();
  // Start of the last press of each kind; `REPEATED` for a key that repeats.
  const REPEATED = -1;
  const began = {};
  let timer;
  let last = 0;

  const dwell = (button) => (button.matches(APPROVE) ? APPROVE_AFTER : OTHERS_AFTER);

  // Returns position, size and meaning of a button; empty if it is hidden or another window has the focus, which may cover it.
  const look = (button) => {
    const { x, y, width, height } = button.getBoundingClientRect();
    const over = width && !document.hidden && document.hasFocus() && document.elementFromPoint(x + width / 2, y + height / 2);
    if (!over || !button.contains(over)) return '';
    const fields = [...(button.form?.querySelectorAll('[type=hidden]') ?? [])].map((field) => field.value);
    return JSON.stringify([...[x, y, width, height].map(Math.round), button.textContent, ...fields]);
  };

  // Returns the offset from the window's top of the first row of a card's question that was never visible in a focused
  // window. Returns `undefined` once all of it was. A part of another size has to be read again.
  const firstUnread = (card) => {
    let first;
    for (const part of card.querySelectorAll(QUESTION)) {
      const { left, top, width, height } = part.getBoundingClientRect();
      const size = `${width} ${height} ${part.textContent}`;
      if (unread.get(part)?.size !== size) {
        unread.set(part, { size, rows: Array.from({ length: Math.ceil(height / ROW) }, (_, row) => row * ROW) });
      }
      const state = unread.get(part);
      const at = (row) => top + Math.min(row + ROW / 2, height - 1);
      state.rows = state.rows.filter((row) => document.hidden || !document.hasFocus() || !part.contains(document.elementFromPoint(left + width / 2, at(row))));
      if (state.rows.length) first ??= at(state.rows[0]);
    }
    return first;
  };

  // Scrolls the container of an element so that this offset from the window's top reaches the container's top.
  const bring = (offset, element) => {
    let around = element.parentElement;
    while (around.parentElement && !(around.scrollHeight > around.clientHeight && /auto|scroll/.test(getComputedStyle(around).overflowY))) {
      around = around.parentElement;
    }
    around.scrollBy(0, offset - Math.max(around.getBoundingClientRect().top, 0) - 3 * ROW);
  };

  const watch = () => {
    const now = performance.now();
    const stalled = now - last > STALLED;
    last = now;
    const found = document.querySelectorAll(GUARDED);
    for (const button of found) {
      const isUnread = button.matches(APPROVE) && firstUnread(button.closest('.approval-card')) !== undefined;
      const shown = isUnread ? '' : look(button);
      const state = states.get(button) ?? {};
      states.set(button, state);
      if (stalled || !shown || shown !== state.shown) Object.assign(state, { shown, since: now });
      const waits = isUnread || (shown !== '' && now - state.since < dwell(button));
      button.toggleAttribute('data-unread', isUnread);
      state.read = isUnread ? undefined : state.read ?? now;
      button.toggleAttribute('data-read', now - state.read >= APPROVE_AFTER);
      button.toggleAttribute('data-armed', shown !== '' && !waits);
      // The card itself disables its buttons while a verdict is being sent.
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
  addEventListener('blur', watch);
  addEventListener('focus', watch);
  watch();

  // A message says up to which event its sender has seen the conversation: 0 while a question was not visible for long enough.
  addEventListener('submit', ({ target }) => {
    const seen = target.querySelector('[name=seen]');
    if (seen && document.querySelector(`.chat-page__log ${APPROVE}:not([data-read])`)) seen.value = 0;
  }, true);

  const note = (event) => {
    watch();
    began[event.type] = event.repeat ? REPEATED : event.timeStamp;
  };
  addEventListener('pointerdown', note, true);
  addEventListener('keydown', note, true);
  // Space presses a button only after the key was released.
  addEventListener('keyup', () => setTimeout(() => delete began.keydown), true);
  addEventListener('click', (event) => {
    const button = event.target.closest?.('button');
    if (!button) return;
    watch();
    const kind = event.detail ? 'pointerdown' : 'keydown';
    // Screen readers press without a key event.
    const from = began[kind] ?? event.timeStamp;
    if (event.detail) delete began[kind];
    const state = states.get(button);
    const approves = button.matches(APPROVE);
    const guarded = button.matches(GUARDED) && (approves || event.detail);
    const repeats = from === REPEATED && (approves || event.isTrusted);
    if (repeats || (guarded && !(from - state?.since >= dwell(button)))) {
      event.preventDefault();
      event.stopImmediatePropagation();
      if (!approves) return;
      const card = button.closest('.approval-card');
      const first = firstUnread(card);
      if (first === undefined) button.scrollIntoView({ block: 'nearest' });
      else bring(first, card);
    }
  }, true);
})();
