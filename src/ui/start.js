// Takes over the page once it is shown: what it shows and its plain forms do not wait for the script, and who runs no script loads none.
const idle = window.requestIdleCallback ?? setTimeout;
// A page whose form is on its way is about to be replaced: taken over now, it would keep what was sent for text that is still written.
let leaving = false;
addEventListener('submit', () => { leaving = true; });
const begin = async (again) => {
  // Beside its JavaScript, which would ask for it a round trip later.
  const wasm = fetch('/pkg/docket.wasm');
  // Without its JavaScript nobody would look at it any more.
  wasm.catch(() => {});
  const docket = await import(`/pkg/docket.js${again}`);
  await docket.default({ module_or_path: wasm });
  // A turn of its own, so that what was pressed while the wasm was compiled is answered in between.
  setTimeout(() => {
    if (leaving) addEventListener('pageshow', docket.hydrate, { once: true });
    else docket.hydrate();
  });
};
// Until then the plain forms work. Under another address: browsers remember that a module could not be had.
let tries = 0;
const retry = () => begin(`?again=${++tries}`).catch(wait);
const wait = () => {
  if (tries < 1 && navigator.onLine) setTimeout(retry, 3000);
  else addEventListener('online', retry, { once: true });
};
idle(() => begin('').catch(wait), { timeout: 2000 });
