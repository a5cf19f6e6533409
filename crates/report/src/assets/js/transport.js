// Play button, time slider, speed and keys.

function attachTransport(clock, tools) {
  const el = (id) => document.getElementById(id);
  const [play, scrub, speed, output] = [el("play"), el("scrub"), el("speed"), el("clock")];
  const span = clock.end - clock.start;
  for (const s of new Set([...SPEEDS, clock.speed].sort((a, b) => a - b))) {
    const option = document.createElement("option");
    option.value = s;
    option.textContent = `${s}×`;
    speed.append(option);
  }

  const showTime = () => {
    // While the reader drags the slider it already stands where it should.
    const place = span > 0 ? ((clock.time - clock.start) / span) * 1000 : 0;
    if (Math.abs(Number(scrub.value) - place) > 1e-6) scrub.value = place;
    output.textContent = `${timeText(clock.time, clock.resolution)}`;
    scrub.setAttribute("aria-valuetext", output.textContent);
  };
  const showPlay = () => {
    play.classList.toggle("on", clock.playing);
    speed.value = clock.speed;
  };
  clock.on("time", showTime);
  clock.on("play", showPlay);
  showTime();
  showPlay();

  play.disabled = scrub.disabled = span === 0;
  play.addEventListener("click", () => clock.play(!clock.playing));
  scrub.addEventListener("input", () => {
    clock.play(false);
    clock.set(clock.start + (Number(scrub.value) / 1000) * span);
  });
  speed.addEventListener("change", () => clock.setSpeed(Number(speed.value)));

  const nextSpeed = (up) => {
    const list = [...speed.options].map((o) => Number(o.value));
    const at = list.indexOf(clock.speed) + (up ? 1 : -1);
    if (list[at] !== undefined) clock.setSpeed(list[at]);
  };
  const keys = {
    " ": () => clock.play(!clock.playing),
    ArrowLeft: (event) => clock.step(event.shiftKey ? -10 : -1),
    ArrowRight: (event) => clock.step(event.shiftKey ? 10 : 1),
    Home: () => (clock.play(false), clock.set(clock.start)),
    End: () => (clock.play(false), clock.set(clock.end)),
    "[": () => nextSpeed(false),
    "]": () => nextSpeed(true),
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.type === "search") return;
    const on = event.target.tagName;
    // A focused button or list keeps its own keys.
    if (on === "SELECT" || (event.key === " " && (on === "BUTTON" || on === "SUMMARY" || on === "A"))) return;
    const act = keys[event.key];
    if (act) act(event);
    else if (!tools || !tools.press(event.key.toLowerCase())) return;
    event.preventDefault();
  });
}
