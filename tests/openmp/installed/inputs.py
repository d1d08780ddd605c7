"""Inputs of the programs in programs.py, made by a fixed seed. Each function writes one file of its name's kind."""

import random


def picture(path, width=1500, height=1000):
    """A picture with soft shapes and noise (PPM)."""
    source = random.Random(1)
    row = bytes(source.randrange(256) for _ in range(3 * width))
    with open(path, "wb") as file:
        file.write(f"P6 {width} {height} 255\n".encode())
        for y in range(height):
            shift = y * 37 % (3 * width)
            wave = (y * y // 97) % 200
            line = row[shift:] + row[:shift]
            file.write(bytes((byte // 4 + wave // 2 + (x // 300) * 9) & 255 for x, byte in enumerate(line)))


def sequences(path, many=400, length=600, letters="ACGT", changes=0.1):
    """Sequences (FASTA) that descend from one another, so that programs find families."""
    source = random.Random(2)
    made = ["".join(source.choice(letters) for _ in range(length)) for _ in range(6)]
    while len(made) < many:
        parent = source.choice(made)
        made.append("".join(source.choice(letters) if source.random() < changes else letter for letter in parent))
    with open(path, "w", encoding="ascii") as file:
        for number, sequence in enumerate(made):
            file.write(f">s{number}\n{sequence}\n")


def proteins(path):
    sequences(path, 120, 200, "ACDEFGHIKLMNPQRSTVWY", 0.15)


def alignment(path):
    """Sequences of one length in the form that phylogeny programs read (PHYLIP)."""
    sequences(path + ".fa", 24, 400)
    with open(path + ".fa", encoding="ascii") as file:
        lines = file.read().split()
    with open(path, "w", encoding="ascii") as file:
        file.write(f"{len(lines) // 2} {len(lines[1])}\n")
        for name, sequence in zip(lines[::2], lines[1::2]):
            file.write(f"{name[1:]:10s}{sequence}\n")


def reads(path):
    """Short reads of one genome (FASTA), for assemblers."""
    source = random.Random(3)
    genome = "".join(source.choice("ACGT") for _ in range(20000))
    with open(path, "w", encoding="ascii") as file:
        for number in range(8000):
            at = source.randrange(len(genome) - 100)
            file.write(f">r{number}\n{genome[at:at + 100]}\n")


def messages(path, changed=False):
    """A catalogue of messages (PO)."""
    source = random.Random(4)
    words = [f"word{number}" for number in range(400)]
    with open(path, "w", encoding="ascii") as file:
        file.write('msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\n')
        for number in range(1500):
            text = " ".join(source.choice(words) for _ in range(12))
            if changed and number % 3 == 0:
                text += " more"
            answer = "" if changed else text.upper()
            file.write(f'msgid "{text} {number}"\nmsgstr "{answer}"\n\n')


def changed_messages(path):
    messages(path, True)


def argon(path):
    """LAMMPS: atoms with Lennard-Jones forces."""
    with open(path, "w", encoding="ascii") as file:
        file.write("""units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 8 0 8 0 8
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 1.44 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
fix 1 all nve
thermo 100
thermo_style custom step temp
thermo_modify format float %10.5f
run 200
""")


def molecule(path):
    """Caffeine (XYZ), for quantum chemistry."""
    with open(path, "w", encoding="ascii") as file:
        file.write("""24

C 1.07317 0.04885 -0.07573
N 2.51365 0.01256 -0.07580
C 3.35199 1.09592 -0.07533
N 4.61898 0.73028 -0.07549
C 4.57907 -0.63144 -0.07531
C 3.30131 -1.10256 -0.07524
C 2.98068 -2.48687 -0.07377
O 1.82530 -2.90038 -0.07577
N 4.11440 -3.30433 -0.06936
C 5.45174 -2.85618 -0.07235
O 6.38934 -3.65965 -0.07232
N 5.66240 -1.47682 -0.07487
C 7.00947 -0.93648 -0.07524
C 3.92063 -4.74093 -0.06158
H 0.73398 1.08786 -0.07503
H 0.71239 -0.45698 0.82335
H 0.71240 -0.45580 -0.97549
H 2.99301 2.11762 -0.07478
H 7.76531 -1.72634 -0.07591
H 7.14864 -0.32182 0.81969
H 7.14802 -0.32076 -0.96953
H 2.86501 -5.02316 -0.05833
H 4.40233 -5.15920 0.82837
H 4.40017 -5.16929 -0.94780
""")


def water(path):
    """GROMACS: nothing but the parameters; the box is filled by gmx itself."""
    with open(path, "w", encoding="ascii") as file:
        file.write("integrator = md\nnsteps = 100\ndt = 0.001\ncutoff-scheme = Verlet\ncoulombtype = PME\nrvdw = 0.9\n"
                   "rcoulomb = 0.9\nrlist = 0.9\ngen-vel = yes\ngen-seed = 7\nnstenergy = 100\n")


def topology(path):
    with open(path, "w", encoding="ascii") as file:
        file.write('#include "oplsaa.ff/forcefield.itp"\n#include "oplsaa.ff/spce.itp"\n[ system ]\nwater\n[ molecules ]\n')


def silicon(path):
    """Quantum ESPRESSO: a crystal of silicon, with the pseudopotential that Debian has."""
    with open(path, "w", encoding="ascii") as file:
        file.write("""&control
 calculation='scf', prefix='si', pseudo_dir='/usr/share/espresso/pseudo', outdir='./si'
/
&system
 ibrav=2, celldm(1)=10.2, nat=2, ntyp=1, ecutwfc=16.0
/
&electrons
/
ATOMIC_SPECIES
 Si 28.086 Si.pz-vbc.UPF
ATOMIC_POSITIONS alat
 Si 0.00 0.00 0.00
 Si 0.25 0.25 0.25
K_POINTS automatic
 3 3 3 0 0 0
""")
