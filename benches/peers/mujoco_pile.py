"""The falling pile of `falling_pile.rs` in MuJoCo: the same boxes, bin, friction and step, in one thread.

    pip install mujoco
    cargo build --release -p impinge-benches --features factor --example falling_pile
    python benches/peers/mujoco_pile.py target/release/examples/falling_pile [BOXES [SECONDS]]

Time is that of the processor; nothing but the steps is counted.
"""

import subprocess
import sys
import time

import mujoco

DT = 1e-3
HEAD = """
<mujoco>
  <option timestep="{dt}" gravity="0 0 -9.81"/>
  <size memory="4G"/>
  <default><geom type="box" friction="0.4 0.005 0.0001" density="1000"/></default>
  <worldbody>
"""


def bin_of(boxes):
    side = next(k for k in range(1, boxes + 1) if k**3 >= boxes)
    half, height, wall = 0.08 * side, 0.1 * side, 0.05
    out, along = half + wall, half + 2 * wall
    yield (0, 0, -wall), (along, along, wall)
    for sign in (-1, 1):
        yield (sign * out, 0, height), (wall, along, height)
        yield (0, sign * out, height), (half, wall, height)


def model(program, boxes):
    text = lambda numbers: " ".join(f"{n:.17g}" for n in numbers)
    out = HEAD.format(dt=DT)
    for position, size in bin_of(boxes):
        out += f'<geom pos="{text(position)}" size="{text(size)}"/>\n'
    told = subprocess.run([program, "--poses", str(boxes)], check=True, capture_output=True, text=True).stdout
    for line in told.splitlines():
        numbers = [float(n) for n in line.split()]
        position, turn = text(numbers[:3]), text(numbers[3:])
        out += f'<body pos="{position}" quat="{turn}"><freejoint/><geom size=".05 .05 .05"/></body>\n'
    return out + "</worldbody></mujoco>"


def main():
    boxes = int(sys.argv[2]) if len(sys.argv) > 2 else 216
    seconds = float(sys.argv[3]) if len(sys.argv) > 3 else 1.0
    scene = mujoco.MjModel.from_xml_string(model(sys.argv[1], boxes))
    data = mujoco.MjData(scene)
    worst, contacts = 0.0, 0
    begun = time.process_time()
    for _ in range(round(seconds / DT)):
        before = time.process_time()
        mujoco.mj_step(scene, data)
        worst = max(worst, time.process_time() - before)
        contacts = max(contacts, data.ncon)
    took = time.process_time() - begun
    print(
        f"MuJoCo {mujoco.__version__}, {boxes} boxes, {seconds} s: {took:.3f} s of the processor, "
        f"{took / seconds:.3f} a simulated second; worst step {worst * 1e3:.1f} ms, up to {contacts} contacts"
    )


main()
