// Hydrates the page once it is shown: content and plain forms do not wait for the script, and without scripts nothing is loaded.
const idle = window.requestIdleCallback ?? setTimeout;
// True once a form was submitted. The page is about to be replaced: hydrated now, it would store the sent text as a draft.
let leaving = false;
addEventListener('submit', () => { leaving = true; });
const begin = async (again) => {
  // In parallel with its JavaScript, which would request it a round trip later.
  const wasm = fetch('/pkg/docket.wasm');
  // Avoids an unhandled rejection if the import fails.
  wasm.catch(() => {});
  const docket = await import(`/pkg/docket.js${again}`);
  await docket.default({ module_or_path: wasm });
  // A separate task, so that input during compilation is handled first.
  setTimeout(() => {
    if (leaving) addEventListener('pageshow', docket.hydrate, { once: true });
    else docket.hydrate();
  });
};
// Plain forms work until then. The retry has another address, since browsers cache a failed module.
let tries = 0;
const retry = () => begin(`?again=${++tries}`).catch(wait);
const wait = () => {
  if (tries < 1 && navigator.onLine) setTimeout(retry, 3000);
  else addEventListener('online', retry, { once: true });
};
idle(() => begin('').catch(wait), { timeout: 2000 });
